import math


class Node:
    def __init__(self, prior):
        self.prior, self.n, self.w, self.children = prior, 0, 0.0, {}


class MCTS:
    def __init__(self, evaluate, c=1.4):
        self.evaluate, self.c = evaluate, c

    def expand(self, node, game):
        prior, value = self.evaluate(game)
        legal = game.legal()
        total = sum(prior[m] for m in legal) or 1.0
        node.children = {m: Node(prior[m] / total) for m in legal}
        return value

    def simulate(self, node, game):
        if game.over:
            value = 1.0 if game.winner == game.player else -1.0
        elif not node.children:
            value = self.expand(node, game)
        else:
            m, child = max(node.children.items(), key=lambda kv: self.ucb(node, kv[1]))
            game.play(m)
            value = -self.simulate(child, game)
        node.n += 1
        node.w += value
        return value

    def ucb(self, parent, child):
        q = -child.w / child.n if child.n else 0.0
        return q + self.c * child.prior * math.sqrt(parent.n + 1) / (1 + child.n)

    def search(self, game, sims):
        root = Node(1.0)
        for _ in range(sims):
            self.simulate(root, game.copy())
        counts = [0.0] * game.moves
        for m, c in root.children.items():
            counts[m] = float(c.n)
        total = sum(counts)
        return [c / total for c in counts]
