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
    s.u0 = s.u;
    s.relevant = [RELEVANT]'; % for each given coordinate of the loops: 1 if they depend on it
    s.loop_balls = [QUATERNIONS]; % indices there where unit quaternions begin
    s.loops = {LOOP_NAMES}; % for each equation of the loops: its loop,
    s.units = {GAP_UNITS}; % and the unit of its gap
HOISTS
end
