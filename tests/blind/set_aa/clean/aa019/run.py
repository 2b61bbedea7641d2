import torch
import torch.nn as nn

from audio.classifier import KeywordNet

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = KeywordNet().to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

tone = torch.arange(512) / 8000
freqs = torch.tensor([300.0, 800.0, 2000.0])
for step in range(6):
    label = torch.randint(0, 3, (8,))
    wave = torch.sin(2 * torch.pi * freqs[label][:, None] * tone) + 0.1 * torch.randn(8, 512)
    loss = criterion(model(wave.to(device)), label.to(device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item(), sorted(k for k in model.state_dict() if k.startswith("front")))
