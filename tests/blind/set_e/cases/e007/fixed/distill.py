import torch


class Evaluator:
    """Compares a compressed network with the one it came from."""

    def __init__(self, teacher, student):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.teacher = teacher.to(self.device).eval()
        self.student = student.to(self.device).eval()

    @torch.inference_mode()
    def agreement(self, batches):
        same, n = 0, 0
        kl = []
        for x in batches:
            x = x.to(self.device)
            t, s = self.teacher(x), self.student(x)
            same += (t.argmax(-1) == s.argmax(-1)).sum().item()
            kl.append((t.softmax(-1) * (t.log_softmax(-1) - s.log_softmax(-1))).sum(-1).mean().item())
            n += len(x)
        return {"agreement": same / n, "kl": sum(kl) / len(kl)}

    def size(self):
        count = lambda m: sum(p.numel() for p in m.parameters())
        return count(self.student) / count(self.teacher)
