"""How a board becomes binary variables: one short file and one builder function each."""
