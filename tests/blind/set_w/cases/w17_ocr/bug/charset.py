import numpy as np


class Charset:
    blank = 0

    def __init__(self, chars="abcdefghij"):
        self.chars = "-" + chars

    def __len__(self):
        return len(self.chars)

    def collapse(self, path):
        keep = np.flatnonzero(np.diff(path, prepend=-1))
        return "".join(self.chars[int(path[i])] for i in keep if int(path[i]) != self.blank)
