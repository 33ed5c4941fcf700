"""From files of labels to agreement: reading, matching, comparing, and sheets for people.

    agree         the verbs: `agree` compares, `plan` says what to label next
    labelling     sheets of disagreements, and of units to label
    estimating    means corrected by human labels;  overlaps: the baseline of word overlap
    system_scores what systems score by both sides' labels;  run_scores: retrieval runs, by grades
    calibrating   calibrations on disk, and applied to what is scored
    comparing     both sides brought together, by way of alignment, ratings and rows

What is computed from labels alone lies in `judge.agreement`.
"""
