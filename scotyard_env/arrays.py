"""Copying and sorting inside kernels; sorting by insertion: stable, and the fastest for a handful."""

from scotyard_env.kernel import kernel


@kernel
def copy_values(source, target):
    """Write the values of an array into another one; ``target[:] = source`` would take seconds to compile."""
    for place in range(len(source)):
        target[place] = source[place]


@kernel
def sort_ascending(values, count):
    """Sort the first so many values in place."""
    for index in range(1, count):
        value, place = values[index], index
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@kernel
def order_by(keys, order, count):
    """Put the first so many numbers in order by keys[number], the largest first; equal ones stay as they are."""
    for index in range(1, count):
        number, place = order[index], index
        while place > 0 and keys[order[place - 1]] < keys[number]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = number
