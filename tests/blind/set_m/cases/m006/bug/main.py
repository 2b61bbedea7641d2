import torch
from torch import nn
from layers import SinusoidalPositions


class Tagger(nn.Module):
    def __init__(self, vocab, tags, dim=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.pos = SinusoidalPositions(dim)
        layer = nn.TransformerEncoderLayer(dim, 4, 64, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)
        self.out = nn.Linear(dim, tags)

    def forward(self, ids):
        return self.out(self.encoder(self.pos(self.embed(ids))))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Tagger(100, 5).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
for step in range(3):
    ids = torch.randint(0, 100, (8, 20)).to(device)
    tags = torch.randint(0, 5, (8, 20)).to(device)
    loss = criterion(model(ids).flatten(0, 1), tags.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
