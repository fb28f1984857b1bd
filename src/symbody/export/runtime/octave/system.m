function s = NAME_system()
% NAME_system: names and numbers of the system, as it was exported
    s.states = {STATES};
    s.inputs = {INPUTS};
    s.parameters = {PARAMETERS};
    s.outputs = {OUTPUTS};
    s.x0 = [START_X]';
    s.u = [START_U]';
    s.p = [START_P]';
    s.guess = [START_GUESS]'; % dependent coordinates at the start
    s.balls = [BALLS]; % indices in x where unit quaternions begin
end
