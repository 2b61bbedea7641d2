import torch
import torch.nn.functional as F

from rope import Decoder

# one forward on the host first: the parameter table is printed before the model goes to the accelerator
model = Decoder()
with torch.no_grad():
    shape = model(torch.zeros(1, 8, dtype=torch.long)).shape
print("output", tuple(shape), "weights", sum(p.numel() for p in model.parameters()))

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
for step in range(4):
    ids = torch.randint(0, 40, (4, 12 + step)).to(device)
    logits = model(ids[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, 40), ids[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("last loss", loss.item())
