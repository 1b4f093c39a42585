"""One run: prepare, submit, finish; and the functions solve and solve_many."""
