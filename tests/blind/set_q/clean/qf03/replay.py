import numpy as np
import torch


class SumTree:
    def __init__(self, cap):
        self.cap, self.tree = cap, np.zeros(2 * cap)

    def set(self, i, p):
        i += self.cap
        self.tree[i] = p
        while i > 1:
            i //= 2
            self.tree[i] = self.tree[2 * i] + self.tree[2 * i + 1]

    def find(self, u):
        i = 1
        while i < self.cap:
            i *= 2
            if u > self.tree[i]:
                u -= self.tree[i]
                i += 1
        return i - self.cap


class PrioritizedReplay:
    def __init__(self, cap, alpha=0.6):
        self.tree, self.cap, self.alpha = SumTree(cap), cap, alpha
        self.data, self.i, self.top = [], 0, 1.0

    def __len__(self):
        return len(self.data)

    def add(self, item):
        if len(self.data) < self.cap:
            self.data.append(item)
        else:
            self.data[self.i] = item
        self.tree.set(self.i, self.top)
        self.i = (self.i + 1) % self.cap

    def sample(self, k, beta):
        total = self.tree.tree[1]
        u = (np.arange(k) + np.random.rand(k)) * total / k
        idx = np.minimum([self.tree.find(x) for x in u], len(self.data) - 1)
        p = self.tree.tree[idx + self.tree.cap] / total
        w = (len(self) * p) ** -beta
        s, a, r, s2, d = zip(*(self.data[j] for j in idx))
        batch = torch.stack(s), torch.tensor(a), torch.tensor(r), torch.stack(s2), torch.tensor(d, dtype=torch.float32)
        return batch, torch.from_numpy((w / w.max()).astype(np.float32)), idx

    def update(self, idx, err):
        for i, e in zip(idx, err):
            p = (float(e) + 1e-5) ** self.alpha
            self.top = max(self.top, p)
            self.tree.set(int(i), p)
