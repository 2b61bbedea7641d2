import torch
from torch import nn
from classifier import Classifier

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Classifier(4).to(device)
optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.01)
criterion = nn.CrossEntropyLoss()

for step in range(3):
    x = torch.randn(8, 3, 8, 8, device=device)
    y = torch.randint(0, 4, (8,), device=device)
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
