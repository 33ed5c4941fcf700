"""How far a judge can stand for people: agreement, rankings, corrected estimates, calibration.

Pure functions of labels, as `judge.metrics` is: no file, no model, no store. Labels of one kind
of unit stand on a `Scale`; what raters said of the same units is counted in matrices whose rows
are the human labels and whose columns are the judge's.
"""
