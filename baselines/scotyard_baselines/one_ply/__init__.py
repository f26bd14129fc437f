"""Looking one move ahead: the frame of such policies, and the scores that several of them share."""
