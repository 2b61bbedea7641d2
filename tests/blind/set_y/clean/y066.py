import math

import torch
from torch import nn


def init_weights(module):
    if isinstance(module, nn.Linear):
        nn.init.trunc_normal_(module.weight, std=0.02)
        if module.bias is not None:
            nn.init.zeros_(module.bias)
    elif isinstance(module, nn.Embedding):
        with torch.no_grad():
            module.weight.normal_(0, 0.02)
            if module.padding_idx is not None:
                module.weight[module.padding_idx].fill_(0)


class GRUTagger(nn.Module):
    def __init__(self, vocab=30, dim=12, hidden=12, tags=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.LSTM(dim, hidden, batch_first=True)
        self.tags = nn.Linear(hidden, tags)
        self.transitions = nn.Parameter(torch.empty(tags, tags))
        self.apply(init_weights)
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self):
        bound = 1 / math.sqrt(self.rnn.hidden_size)
        for name, p in self.rnn.named_parameters():
            p.uniform_(-bound, bound)
            if "bias_hh" in name:
                n = p.size(0) // 4
                p[n:2 * n] = 1.0
        self.transitions.zero_()
        self.transitions[:, 0] -= 0.5

    def forward(self, ids):
        return self.tags(self.rnn(self.emb(ids))[0])

    def path_score(self, logits, tags):
        emit = logits.gather(2, tags.unsqueeze(2)).sum(dim=(1, 2))
        return emit + self.transitions[tags[:, :-1], tags[:, 1:]].sum(1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = GRUTagger().to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(3):
    ids = torch.randint(1, 30, (5, 7), device=device)
    logits = net(ids)
    good, wrong = ids % 4, (ids + 1) % 4
    loss = nn.functional.softplus(net.path_score(logits, wrong) - net.path_score(logits, good)).mean()
    opt.zero_grad()
    loss.backward()
    net.emb.weight.grad[0] = 0
    opt.step()
    with torch.no_grad():
        net.transitions.clamp_(-3, 3)
print(loss.item(), net.emb.weight[0].abs().sum().item())
