"""Our own samplers: annealers that work with line counts instead of couplings.

A call of ``anneal`` or ``sample`` passes through:

    flip.py, swap.py        the samplers; which board or BQM becomes which task
    board_sampler.py        the calls; interface.py checks their parameters
    recognise.py            is a BQM that of a board?
    task.py                 a problem prepared for a kernel: unit and offset, schedule, reads
      flip.py                 a board by line counts, or by a list of cells
      swap.py                 a board by swaps
      bqm_tasks.py            a BQM, as a board if recognised, else by its couplings
    line_board.py           boards as the arrays of the kernels
    run.py                  reads in slices of their schedules (schedule.py), on threads
    interface.py            the result: Reads

A *task* is the prepared problem, and a *run* the state of one read that the kernels change. The
*unit* of a task is the common divisor of its weights: kernels and ``Run.energy`` count in it, and
betas are scaled by it. A *position* is an index into the open rows or columns, a *number* the row
or column on the board.
"""
