"""The compiled loops, on plain arrays. The only room that imports numba."""
