"""Exact solutions of small games: public tree, best responses, sequence-form linear program, alpha-beta on any tree."""
