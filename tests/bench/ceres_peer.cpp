// ceres_peer.cpp - pose graphs by Ceres (ceres_peer.h), as in its own example for 3-D pose graphs:
// sparse normal Cholesky with SuiteSparse, automatic derivatives. The residual is that of
// posegraph.c, so both look for the least of the same sum.
#include "tests/bench/ceres_peer.h"

#include <Eigen/Cholesky>
#include <ceres/ceres.h>
#include <ceres/rotation.h>

namespace {

struct residual {
    residual(const ceres_edge &edge, double scale) : edge(edge)
    {
        Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>> information(
            edge.information);
        root = Eigen::LLT<Eigen::Matrix<double, 6, 6>>(information / scale).matrixL().transpose();
    }

    // The twist of measured * (to^-1 * from)^-1 = measured * from^-1 * to.
    template <typename T>
    bool
    operator()(const T *from_r, const T *from_t, const T *to_r, const T *to_t, T *ret) const
    {
        T measured_r[4], measured_t[3],
            from_back[4] = {from_r[0], -from_r[1], -from_r[2], -from_r[3]};
        for (int i = 0; i < 4; i++)
            measured_r[i] = T(edge.rotation[i]);
        T apart[3], turned[3], between[4], moved[3], rotation[4];
        for (int i = 0; i < 3; i++) {
            measured_t[i] = T(edge.translation[i]);
            apart[i] = to_t[i] - from_t[i];
        }
        ceres::QuaternionRotatePoint(from_back, apart, turned);
        ceres::QuaternionProduct(from_back, to_r, between);
        ceres::QuaternionRotatePoint(measured_r, turned, moved);
        ceres::QuaternionProduct(measured_r, between, rotation);
        T w[3], wt[3], wwt[3];
        ceres::QuaternionToAngleAxis(rotation, w);
        for (int i = 0; i < 3; i++)
            moved[i] += measured_t[i];
        ceres::CrossProduct(w, moved, wt);
        ceres::CrossProduct(w, wt, wwt);
        Eigen::Matrix<T, 6, 1> twist;
        for (int i = 0; i < 3; i++) {
            twist[i] = moved[i] - wt[i] / 2.0 + wwt[i] / 12.0;
            twist[i + 3] = w[i];
        }
        Eigen::Map<Eigen::Matrix<T, 6, 1>> result(ret);
        result = root.template cast<T>() * twist;
        return true;
    }

    const ceres_edge &edge;
    Eigen::Matrix<double, 6, 6> root;
};

} // namespace

void
ceres_peer_solve(const ceres_edge *edges, int edge_count, ceres_pose *poses, double scale,
                 double loss)
{
    ceres::Problem problem;
    ceres::LossFunction *cauchy = loss > 0 ? new ceres::CauchyLoss(loss) : nullptr;
    ceres::Manifold *turns = new ceres::QuaternionManifold;
    for (int i = 0; i < edge_count; i++) {
        ceres_pose &from = poses[edges[i].from], &to = poses[edges[i].to];
        problem.AddResidualBlock(
            new ceres::AutoDiffCostFunction<residual, 6, 4, 3, 4, 3>(new residual(edges[i], scale)),
            cauchy, from.rotation, from.translation, to.rotation, to.translation);
        problem.SetManifold(from.rotation, turns);
        problem.SetManifold(to.rotation, turns);
    }
    problem.SetParameterBlockConstant(poses[0].rotation);
    problem.SetParameterBlockConstant(poses[0].translation);
    ceres::Solver::Options options;
    options.max_num_iterations = 200;
    options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
    options.sparse_linear_algebra_library_type = ceres::SUITE_SPARSE;
    options.num_threads = 1;
    options.logging_type = ceres::SILENT;
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem, &summary);
}
