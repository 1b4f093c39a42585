"""Compiled loops on plain arrays; the only room that imports Numba.

    flip_grid.py        single flips over all cells of a board; uses queen_lists.py
    flip_cells.py       single flips over a list of cells
    flip_couplings.py   single flips over any QUBO
    swap_columns.py     swaps on a permutation
    grid.py             the cells and line counts that these kernels share
    exhaustive.py       depth-first search for solutions; uses bitboard.py
    rup.py              check of clausal proofs by unit propagation
    rng.py, jit.py      random numbers and the Metropolis rule; compilation and array types

In kernels a *row* or *column* is a position: an index into the open rows or columns. The row or
column of the board is its *number*, ``grid.rows[row]``. *Total* stands for a sum diagonal
``r + c`` and *difference* for a difference diagonal, stored at ``r - c + n - 1``, both of numbers.
"""
