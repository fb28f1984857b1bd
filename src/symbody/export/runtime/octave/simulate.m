function run = simulate_NAME(seconds, dt, varargin)
% simulate_NAME: the motion with fixed steps of fourth order, and with ode45
%
% simulate_NAME                                plots the outputs over one second
% run = simulate_NAME(seconds, dt)               run.t, run.y (one column per name in run.names); run.ode45.t, run.ode45.y
% run = simulate_NAME(seconds, dt, 'name', value, ...)   parameters and inputs; an input may be a function of time
    if nargin < 1, seconds = 1; end
    if nargin < 2, dt = 1e-3; end
    s = with_values(NAME_system(), varargin);
    run.names = s.outputs;
    [run.t, run.y] = fixed_steps(s, round(seconds/dt), dt);
    run.ode45 = variable_steps(s, seconds);
    if nargout == 0
        draw(run);
        clear run
    end
end

function s = with_values(s, pairs)
    s.signals = cell(1, numel(s.u)); % inputs that are functions of time
    for k = 1:2:numel(pairs)
        input = find(strcmp(s.inputs, pairs{k}));
        parameter = find(strcmp(s.parameters, pairs{k}));
        if isempty(input) && isempty(parameter)
            error('NAME:name', 'unknown parameter or input %s', pairs{k});
        elseif isempty(input)
            s.p(parameter) = pairs{k + 1};
        elseif isa(pairs{k + 1}, 'function_handle')
            s.signals{input} = pairs{k + 1};
        else
            s.u(input) = pairs{k + 1};
        end
    end
HOISTS
end

function u = inputs_at(s, t)
    u = s.u;
    for k = find(~cellfun(@isempty, s.signals))
        u(k) = s.signals{k}(t);
    end
end

function at = last(at)
% the position of the loops at the last evaluation, from which they are followed to the next one
    persistent kept
    if nargin, kept = at; end
    at = kept;
end

function xd = slope(s, t, x)
    u = inputs_at(s, t);
    at = NAME_close(s, t, x, u, last());
    xd = NAME_rates(t, x, u, at.vRATES_ARGUMENT);
    if ~all(isfinite(xd))
        error('NAME:finite', 'the rates at t = %g s are not finite', t);
    end
    last(at);
end

function y = observed(s, t, x)
    slope(s, t, x);
    y = NAME_outputs(t, x, inputs_at(s, t), last().vOUTPUTS_ARGUMENT)';
end

function [t, y] = fixed_steps(s, steps, dt)
    last(NAME_close(s, 0, s.x0, inputs_at(s, 0)));
    t = (0:steps)'*dt;
    y = zeros(steps + 1, numel(s.outputs));
    x = s.x0;
    for k = 1:steps
        y(k, :) = observed(s, t(k), x);
        a = slope(s, t(k), x);
        b = slope(s, t(k) + dt/2, x + dt/2*a);
        c = slope(s, t(k) + dt/2, x + dt/2*b);
        d = slope(s, t(k) + dt, x + dt*c);
        x = x + dt/6*(a + 2*b + 2*c + d);
        for ball = s.balls
            x(ball:ball + 3) = x(ball:ball + 3)/norm(x(ball:ball + 3));
        end
    end
    y(steps + 1, :) = observed(s, t(steps + 1), x);
end

function found = variable_steps(s, seconds)
    last(NAME_close(s, 0, s.x0, inputs_at(s, 0)));
    options = odeset('RelTol', 1e-9, 'AbsTol', 1e-9);
    found.t = [0; seconds];
    x = zeros(2, 0);
    if ~isempty(s.x0)
        [found.t, x] = ode45(@(t, x) slope(s, t, x), [0 seconds], s.x0, options);
    end
    last(NAME_close(s, 0, s.x0, inputs_at(s, 0)));
    found.y = zeros(numel(found.t), numel(s.outputs));
    for k = 1:numel(found.t)
        found.y(k, :) = observed(s, found.t(k), x(k, :)');
    end
end

function draw(run)
    plot(run.t, run.y, '-', run.ode45.t, run.ode45.y, '.');
    xlabel('t (s)');
    title('NAME: lines with fixed steps, dots with ode45', 'Interpreter', 'none');
    legend(run.names, 'Interpreter', 'none');
end
