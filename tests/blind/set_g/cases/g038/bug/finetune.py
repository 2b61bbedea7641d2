import torch
import torch.nn.functional as F

from backbone import Classifier, pretrained

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Classifier(pretrained(), classes=4)
model.freeze_backbone()
model.to(device)

optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=1e-2, momentum=0.9)
for step in range(4):
    images = torch.rand(6, 3, 16, 16, device=device)
    labels = torch.randint(0, 4, (6,), device=device)
    loss = F.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, round(loss.item(), 4))
