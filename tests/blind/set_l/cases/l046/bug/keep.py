import copy


class BestKeeper:
    """Remembers whatever it was given when the score was lowest."""

    def __init__(self):
        self.score, self.payload = None, None

    def offer(self, score, **payload):
        if self.score is None or score < self.score:
            self.score = score
            self.payload = copy.deepcopy(payload)
            return True
        return False
