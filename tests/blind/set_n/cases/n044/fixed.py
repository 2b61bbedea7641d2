import torch
from torch import nn


class Chatbot:
    def __init__(self, net, device):
        self.net = net.to(device)
        self.device = device

    def freeze(self):
        self.net.eval()
        return self

    @torch.inference_mode()
    def complete(self, ids, n=5, temperature=1.0):
        ids = ids.to(self.device)
        for _ in range(n):
            logits = self.net(ids)[:, -1] / temperature
            nxt = logits.softmax(-1).multinomial(1)
            ids = torch.cat([ids, nxt], dim=1)
        return ids.tolist()


class TinyLM(nn.Module):
    def __init__(self, vocab=30, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.drop = nn.Dropout(0.3)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        h, _ = self.rnn(self.drop(self.emb(ids)))
        return self.head(self.drop(h))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = TinyLM()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(3):
    ids = torch.randint(0, 30, (4, 9))
    loss = nn.functional.cross_entropy(net(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
bot = Chatbot(net, device).freeze()
print(bot.complete(torch.tensor([[1, 2, 3]])))
