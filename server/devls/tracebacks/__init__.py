"""From a traceback to the finding that caused it: for `devls traceback`.

`parsing` reads what Python, IPython, pytest and torchrun print; `errors` is the table of torch's messages, with the rules that lead to each;
`files` finds the files that the frames name, also those of another machine; `ranking` weighs findings by what the traceback shows; `cures`
tries their fixes in memory.
"""
