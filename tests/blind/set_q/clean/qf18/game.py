class Nim:
    n, take = 3, 3
    moves = n * take

    def __init__(self, piles=None, player=0):
        self.piles = list(piles) if piles is not None else [2, 3, 3]
        self.player = player

    @property
    def over(self):
        return not any(self.piles)

    @property
    def winner(self):
        return 1 - self.player if self.over else None

    def copy(self):
        return Nim(self.piles, self.player)

    def legal(self):
        return [p * self.take + k for p in range(self.n) for k in range(self.take) if self.piles[p] > k]

    def play(self, m):
        self.piles[m // self.take] -= m % self.take + 1
        self.player = 1 - self.player
