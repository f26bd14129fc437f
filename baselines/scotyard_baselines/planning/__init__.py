"""Joint plans of the detectives: choices, enumeration, coordinate ascent, value."""
