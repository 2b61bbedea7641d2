import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.query = nn.Linear(dim, dim)
        self.mix = nn.Parameter(torch.tensor(0.5))

    def forward(self, q, memory):
        w = torch.softmax(self.query(q) @ memory.t(), dim=-1)
        return self.mix * q + (1 - self.mix) * (w @ memory)


class Retriever:
    def __init__(self, encoder, device):
        self.encoder, self.device = encoder.to(device), device
        self.memory = None

    @torch.no_grad()
    def index(self, docs):
        self.encoder.eval()
        rows = [self.encoder(d.to(self.device)) for d in docs.split(4)]
        self.memory = torch.cat(rows)

    def train(self, reader, queries, steps=2):
        optimizer = torch.optim.Adam(reader.parameters(), lr=1e-3)
        for _ in range(steps):
            with torch.no_grad():
                q = self.encoder(queries.to(self.device))
            loss = nn.functional.mse_loss(reader(q, self.memory), q.roll(1, 0))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return loss.item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    retriever = Retriever(nn.Sequential(nn.Linear(6, 8), nn.Tanh()), device)
    retriever.index(torch.randn(12, 6))
    print(retriever.train(Reader().to(device), torch.randn(5, 6)))
