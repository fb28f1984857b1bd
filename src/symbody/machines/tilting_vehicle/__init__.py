"""A narrow vehicle whose cabin tilts into curves: roll controller, inertial unit and potentiometer in one filter."""

STEPS = {"until": 20.0, "dt": 5e-3}
STUDIO = {
    "start": "Steer with its slider: the cabin leans into the curve. Then bank the road.",
    "labels": {
        "steer": "Steering angle",
        "bank": "Bank of the road",
        "motor": "Torque of your own",
        "speed": "Speed",
        "stiffness": "Stiffness of the controller",
        "damping": "Damping of the controller",
        "lean": "lean of the cabin",
        "load_transfer": "load that moves to the outer wheels",
    },
    "dials": ("steer", "bank", "speed"),
    "presets": {
        "As it is": {},
        "Without a controller's help in curves": {"leaning": 0.0},
        "A heavy driver": {"cabin_mass": 350.0},
    },
    "plots": ["lean", "load_transfer"],
}
