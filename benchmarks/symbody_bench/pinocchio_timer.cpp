// Pinocchio's algorithms behind the signature of symbody's clock: void f(const double ** in, double ** out, void * user).
// Built as a shared library from Pinocchio's headers alone, so that its code gets the same -O3 -march=native as ours.
#include <cstdio>

#include "pinocchio_reader.hpp"

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using Map = Eigen::Map<const Eigen::VectorXd>;

struct Peer
{
  symbody::Model model;
  symbody::Data data;
  pinocchio::Convention convention = pinocchio::Convention::LOCAL;
  explicit Peer(const symbody::Model & m) : model(m), data(model) {}
};

void copy(const Eigen::VectorXd & from, double * to)
{
  if (to) Eigen::Map<Eigen::VectorXd>(to, from.size()) = from;
}

} // namespace

EXPORT void * peer_read(const char * path)
{
  try
  {
    return new Peer(symbody::read_model(path));
  }
  catch (const std::exception & error)
  {
    std::fprintf(stderr, "%s\n", error.what());
    return nullptr;
  }
}

EXPORT void peer_free(void * user) { delete static_cast<Peer *>(user); }

EXPORT void peer_world(void * user, int world)
{
  static_cast<Peer *>(user)->convention = world ? pinocchio::Convention::WORLD : pinocchio::Convention::LOCAL;
}

// in: q, v, a; out: tau
EXPORT void peer_inverse(const double ** in, double ** out, void * user)
{
  Peer & p = *static_cast<Peer *>(user);
  const auto nq = p.model.nq, nv = p.model.nv;
  copy(pinocchio::rnea(p.model, p.data, Map(in[0], nq), Map(in[1], nv), Map(in[2], nv)), out[0]);
}

// in: q; out: M (upper triangle of nv x nv, by columns), not copied where out is null
EXPORT void peer_mass(const double ** in, double ** out, void * user)
{
  Peer & p = *static_cast<Peer *>(user);
  const Eigen::MatrixXd & M = pinocchio::crba(p.model, p.data, Map(in[0], p.model.nq), p.convention);
  if (out[0]) Eigen::Map<Eigen::MatrixXd>(out[0], M.rows(), M.cols()) = M;
}

// in: q, v, tau; out: acceleration
EXPORT void peer_direct(const double ** in, double ** out, void * user)
{
  Peer & p = *static_cast<Peer *>(user);
  const auto nq = p.model.nq, nv = p.model.nv;
  copy(pinocchio::aba(p.model, p.data, Map(in[0], nq), Map(in[1], nv), Map(in[2], nv), p.convention), out[0]);
}
