import torch
import torch.nn.functional as F

from nets import MobileLite


class FineTuner:
    def __init__(self, model, lr, device):
        self.device = device
        self.model = model.to(device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)

    def load(self, state, classes):
        self.model.load_state_dict(state)
        if self.model.classifier.out_features != classes:
            self.model.reset_classifier(classes)

    def fit(self, images, labels, epochs, batch_size=8):
        self.model.train()
        for epoch in range(epochs):
            order = torch.randperm(len(images))
            for idx in order.split(batch_size):
                x, y = images[idx].to(self.device), labels[idx].to(self.device)
                self.optimizer.zero_grad()
                loss = F.cross_entropy(self.model(x), y)
                loss.backward()
                self.optimizer.step()
            print(epoch, loss.item())


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pretrained = MobileLite(classes=10).state_dict()
    tuner = FineTuner(MobileLite(classes=10), lr=1e-3, device=device)
    tuner.load(pretrained, classes=3)
    tuner.fit(torch.randn(24, 3, 16, 16), torch.randint(0, 3, (24,)), epochs=2)
    return tuner


if __name__ == "__main__":
    tuner = main()
