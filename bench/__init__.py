"""Measure speed: ``python -m bench`` takes every figure, ``python -m bench environment`` those of one part."""
