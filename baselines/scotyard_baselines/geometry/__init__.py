"""Ways through the board: emergencies and double moves, the black-ticket filter, A* within tickets, sets as rows."""
