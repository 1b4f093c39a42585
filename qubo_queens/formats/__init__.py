"""Boards and models to and from text and files.

``boards.py`` has the table of board formats, ``models.py`` that of model formats, and ``batch.py``
reads a board from each line. The readers and writers are in ``grids.py``, ``lists.py``,
``json_object.py`` and ``essence.py``; ``text_source.py`` reads the text, ``text_options.py`` holds
the options of the caller, and ``tokens.py`` what the readers share.
"""
