"""Boards and models to and from text and files.

``boards.read_instance`` goes through ``text_source`` (bytes to text), ``detect`` (which format) and
``table`` (which reader) to one of the readers in ``grids``, ``fen``, ``lists``, ``json_object`` and
``essence``. ``batch.read_instances`` reads a board from each line.
"""
