"""Our own samplers: annealers that work from line counts instead of couplings."""
