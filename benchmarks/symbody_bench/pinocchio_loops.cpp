// Pinocchio's dynamics of closed loops behind the signature of symbody's clock, built as pinocchio_timer.cpp is.
//
// The loops come as the text that symbody_bench.loops_peers writes, joints numbered as in the model's file:
//   proximal mu accuracy iterations
//   actuated n  degrees of freedom with actuators (n)
//   loops n
//   components (3 or 6)  joint R (9, by rows) p (3)  joint R p     n times
#include <cstdio>
#include <vector>

#include <Eigen/LU>
#include <Eigen/QR>

#include "pinocchio_reader.hpp"

#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using Map = Eigen::Map<const Eigen::VectorXd>;

struct Loops
{
  symbody::Model model;
  symbody::Data data;
  std::vector<pinocchio::RigidConstraintModel> models;
  std::vector<pinocchio::RigidConstraintData> datas;
  pinocchio::ProximalSettings settings;
  std::vector<int> actuated, passive;
  Eigen::MatrixXd J, A;
  Eigen::VectorXd b, lambda;
  Eigen::PartialPivLU<Eigen::MatrixXd> square;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> general;

  Loops(const symbody::Model & m, std::istream & text) : model(m), data(model)
  {
    std::string word;
    std::size_t count;
    double mu, accuracy;
    int iterations, components;
    text >> word >> mu >> accuracy >> iterations >> word >> count;
    settings = pinocchio::ProximalSettings(accuracy, mu, iterations);
    actuated.resize(count);
    for (int & i : actuated) text >> i;
    for (int i = 0; i < model.nv; ++i)
      if (std::find(actuated.begin(), actuated.end(), i) == actuated.end()) passive.push_back(i);
    text >> word >> count;
    for (std::size_t k = 0; k < count; ++k)
    {
      std::size_t joints[2];
      pinocchio::SE3 places[2];
      text >> components;
      for (int end = 0; end < 2; ++end)
      {
        text >> joints[end];
        places[end] = symbody::read_placement(text);
      }
      const auto type = components == 3 ? pinocchio::CONTACT_3D : pinocchio::CONTACT_6D;
      models.emplace_back(type, model, joints[0], places[0], joints[1], places[1], pinocchio::LOCAL);
      datas.emplace_back(models.back());
    }
    if (!text) throw std::runtime_error("the file of the loops is incomplete");
    pinocchio::initConstraintDynamics(model, data, models, datas);
    const Eigen::Index rows = data.lambda_c.size(), columns = static_cast<Eigen::Index>(passive.size());
    J.setZero(rows, model.nv);
    A.setZero(columns, rows);
    b.setZero(columns);
    lambda.setZero(rows);
    square = Eigen::PartialPivLU<Eigen::MatrixXd>(rows);
    general = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(columns, rows);
  }
};

void copy(const Eigen::VectorXd & from, double * to)
{
  if (to) Eigen::Map<Eigen::VectorXd>(to, from.size()) = from;
}

} // namespace

EXPORT void * loops_read(const char * model, const char * loops)
{
  try
  {
    std::ifstream text(loops);
    return new Loops(symbody::read_model(model), text);
  }
  catch (const std::exception & error)
  {
    std::fprintf(stderr, "%s\n", error.what());
    return nullptr;
  }
}

EXPORT void loops_free(void * user) { delete static_cast<Loops *>(user); }

// in: q, v, tau; out: acceleration, multipliers
EXPORT void loops_constrained(const double ** in, double ** out, void * user)
{
  Loops & p = *static_cast<Loops *>(user);
  const auto nq = p.model.nq, nv = p.model.nv;
  copy(
    pinocchio::constraintDynamics(
      p.model, p.data, Map(in[0], nq), Map(in[1], nv), Map(in[2], nv), p.models, p.datas, p.settings),
    out[0]);
  copy(p.data.lambda_c, out[1]);
}

// in: q, v, a; out: efforts of the actuators. M a + c = S phi + J^T lambda: passive rows give lambda, the others phi.
EXPORT void loops_closed_inverse(const double ** in, double ** out, void * user)
{
  Loops & p = *static_cast<Loops *>(user);
  const Map q(in[0], p.model.nq), v(in[1], p.model.nv), a(in[2], p.model.nv);
  const Eigen::VectorXd & tau = pinocchio::rnea(p.model, p.data, q, v, a);
  pinocchio::computeJointJacobians(p.model, p.data, q);
  pinocchio::calc(p.model, p.data, p.models, p.datas);
  pinocchio::getConstraintsJacobian(p.model, p.data, p.models, p.datas, p.J);
  for (std::size_t i = 0; i < p.passive.size(); ++i)
  {
    p.A.row(i) = p.J.col(p.passive[i]).transpose();
    p.b[i] = tau[p.passive[i]];
  }
  if (p.A.rows() == p.A.cols())
    p.lambda.noalias() = p.square.compute(p.A).solve(p.b);
  else
    p.lambda.noalias() = p.general.compute(p.A).solve(p.b);
  for (std::size_t i = 0; i < p.actuated.size(); ++i)
    out[0][i] = tau[p.actuated[i]] - p.J.col(p.actuated[i]).dot(p.lambda);
}
