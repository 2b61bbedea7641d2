import math

import torch
from torch import nn


class Recommender(nn.Module):
    """Matrix factorisation with biases; row 0 of each table is the unknown entity."""

    def __init__(self, n_users, n_items, dim, mu=3.5):
        super().__init__()
        self.mu = mu
        self.user = nn.Embedding(n_users, dim)
        self.item = nn.Embedding(n_items, dim)
        self.user_bias = nn.Embedding(n_users, 1)
        self.item_bias = nn.Embedding(n_items, 1)
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1 / math.sqrt(self.user.embedding_dim)
        for table in (self.user, self.item):
            nn.init.uniform_(table.weight, -bound, bound)
            table.weight[0] = 0
        nn.init.zeros_(self.user_bias.weight)
        nn.init.zeros_(self.item_bias.weight)

    def forward(self, user, item):
        dot = (self.user(user) * self.item(item)).sum(-1)
        return self.mu + dot + self.user_bias(user).squeeze(-1) + self.item_bias(item).squeeze(-1)


def rating_loss(model, batch, weight_decay=1e-5):
    user, item, rating = batch
    pred = model(user, item)
    reg = sum(p.pow(2).sum() for p in model.parameters())
    return nn.functional.mse_loss(pred, rating) + weight_decay * reg
