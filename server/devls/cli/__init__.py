"""The command line: `devls --check`. One file per output format.

`main.py` lists the commands. `Check` (`check.py`) keeps analyses of a set of files up to date while fixes change them; a file on
which devls fails is said, and the others are checked. rich is imported by the human format only, because programs that read JSON
start devls often. `cache.py` keeps the findings of a file between runs, with all that they were made of: the files that an
analysis has read or looked for (`Analyzer.used_by`), the search path, and the names whose callers were asked.
"""
