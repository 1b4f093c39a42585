"""Our own samplers: annealers that work from line counts instead of couplings.

A call of ``anneal`` or ``sample`` goes through here:

    flip.py, swap.py        which board or BQM becomes which task
    board_sampler.py        the calls; options.py checks their parameters
    task.py                 a problem made ready: unit and offset of its energies, schedule, reads
      line_task.py            a board by line counts (its arrays: line_board.py)
      bqm_tasks.py            a BQM, by line counts if recognise.py finds a board, else by couplings
      swap.py                 a board by swaps (its arrays: swap_board.py)
    run.py                  reads in slices of their schedules, on threads
      line_runs.py, ...       a read: the state that the kernels change
    reads.py                what is returned

The *unit* of a task is the common divisor of its weights: kernels and ``Run.energy`` count in it,
betas are scaled by it. A *position* is an index into the open rows or columns, a *number* the row
or column on the board.
"""
