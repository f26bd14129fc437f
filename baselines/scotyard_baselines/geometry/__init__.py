"""Who can reach what: threats, exits, when a ticket is worth its while."""
