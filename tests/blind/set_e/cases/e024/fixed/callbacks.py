class Plateau:
    def __init__(self, patience=3):
        self.patience, self.best, self.wait = patience, float("inf"), 0

    def __call__(self, value):
        if value < self.best:
            self.best, self.wait = value, 0
        else:
            self.wait += 1
        return self.wait >= self.patience
