"""The problem itself, without QUBOs: geometry, instances, placements, reduction, verification.

lines.py                          the four lines through a cell
instance.py, placement.py         what is prescribed; where queens stand
verify.py, violation.py           the verifier, from coordinates alone; its findings
reduce.py, reduction.py           ``reduce`` and what it returns: open lines, free cells
certificate.py                    proofs that there is no solution
sizes.py, symmetry.py, render.py  numbers of cells and pairs; symmetries; text and SVG
"""
