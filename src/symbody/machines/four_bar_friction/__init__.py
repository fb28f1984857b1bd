"""A linkage on a hydraulic cylinder whose seals rub, by four laws of friction (Jaiswal, Publication II)."""

VARIANTS = {"seals": ("brown-mcphee", "bengisu-akay", "lugre", "modified-lugre")}
STEPS = {"method": "trapezoidal"}
