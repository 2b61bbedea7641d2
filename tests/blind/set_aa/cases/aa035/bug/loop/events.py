from collections import defaultdict
from enum import Enum


class Event(Enum):
    FORWARD_DONE = 1
    BACKWARD_DONE = 2
    STEP_DONE = 3


class Bus:
    def __init__(self):
        self.handlers = defaultdict(list)

    def on(self, event):
        def add(fn):
            self.handlers[event].append(fn)
            return fn
        return add

    def fire(self, event, *args):
        for fn in self.handlers[event]:
            fn(*args)
