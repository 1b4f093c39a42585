"""The compiled loops: arrays in, integers out. The only room that imports numba."""
