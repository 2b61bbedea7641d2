import numpy as np
import torch
from torch import nn
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments


class WeightedTrainer(Trainer):
    def __init__(self, *args, weights=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.weights = weights

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        weight = self.weights.to(outputs.logits.device)
        loss = nn.functional.cross_entropy(outputs.logits, labels, weight=weight)
        return (loss, outputs) if return_outputs else loss


def compute_metrics(prediction):
    logits, labels = prediction
    return {"accuracy": (np.argmax(logits, axis=-1) == labels).mean()}


tokenizer = AutoTokenizer.from_pretrained("some/model")
model = AutoModelForSequenceClassification.from_pretrained("some/model", num_labels=2)
arguments = TrainingArguments(output_dir="out", num_train_epochs=1)
trainer = WeightedTrainer(
    model=model, args=arguments, compute_metrics=compute_metrics, weights=torch.tensor([1.0, 2.0])
)
trainer.train()
with torch.no_grad():
    inputs = tokenizer("hello", return_tensors="pt").to(model.device)
    print(model(**inputs).logits.argmax(-1).tolist())
