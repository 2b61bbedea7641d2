import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from transfer import Backbone, Transfer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Transfer(Backbone(), 3).to(device)
model.freeze_backbone()
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-3)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
loader = DataLoader(TensorDataset(torch.randn(64, 12), torch.randint(0, 3, (64,))), batch_size=16, shuffle=True)

for epoch in range(2):
    model.classifier.train()
    seen = 0.0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen += loss.item()
    print(epoch, seen / len(loader))
