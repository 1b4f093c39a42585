"""One run of ``solve``, in three steps.

    prepare.py    check what is asked, reduce, build the model, choose the sampler: a Run
    submit.py     call the sampler, and with ``auto`` search for a proof beside it (proof_search.py)
    result.py     finish: the best board or the proof, verified, as a SolveResult

``run.py`` has the Run that the steps share, ``choice.py`` the sampler and all that ``auto`` means,
``answers.py`` what a call of a sampler returns.
"""
