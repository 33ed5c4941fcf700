"""The report as one HTML file, which needs nothing else; or as a folder, where it is too large.

    page     the page: template, style and script, and a policy that lets nothing else run
    write    a dossier becomes files
    serve    a folder is shown on this machine alone

The page holds its data compressed, and draws a topic when it is asked for. Its script puts text
into the page as text alone, never as markup.
"""

from judge.report.html.write import LARGEST, Written, write_report

__all__ = ["LARGEST", "Written", "write_report"]
